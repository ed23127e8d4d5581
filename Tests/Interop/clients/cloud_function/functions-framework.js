// A stand-in for @google-cloud/functions-framework: one HTTP function at the port that the variable PORT names.
import { createServer } from "node:http";

export function http(name, handler) {
  createServer((request, response) => {
    const parts = [];
    request.on("data", (part) => parts.push(part));
    request.on("end", () => {
      request.rawBody = Buffer.concat(parts);
      response.status = (code) => {
        response.statusCode = code;
        return response;
      };
      response.json = (value) => {
        response.setHeader("Content-Type", "application/json");
        response.end(JSON.stringify(value));
      };
      handler(request, response);
    });
  }).listen(Number(process.env.PORT), "127.0.0.1");
}
