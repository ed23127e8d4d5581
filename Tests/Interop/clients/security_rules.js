// Evaluates conditions of security rules, which are also expressions of JavaScript.
//
// Standard input has {users: {name: claims or null}, rules: {name: condition}, owner: uid}; standard output has
// {user: {rule: result}}. A claim that is missing is null in rules of the Realtime Database.
import { readFileSync } from "node:fs";

const { users, rules, owner } = JSON.parse(readFileSync(0));
const token = (claims) =>
  new Proxy(claims, {
    get: (target, name) =>
      name === "get" ? (key, otherwise) => (key in target ? target[key] : otherwise) : name in target ? target[name] : null,
  });
// A rule that reads a member of null allows nothing.
const isAllowed = (decide) => {
  try {
    return decide();
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
};
const results = Object.entries(users).map(([user, claims]) => {
  const auth = claims === null ? null : { uid: claims.sub, token: token(claims) };
  const evaluated = Object.entries(rules).map(([rule, condition]) => {
    const decide = new Function("request", "auth", "uid", "$uid", `return ${condition};`);
    return [rule, isAllowed(() => decide({ auth }, auth, owner, owner))];
  });
  return [user, Object.fromEntries(evaluated)];
});
process.stdout.write(JSON.stringify(Object.fromEntries(results)));
