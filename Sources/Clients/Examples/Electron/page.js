const line = document.getElementById("status");
const buttons = [...document.querySelectorAll("button")];
let latest;

for (const button of buttons) {
  button.addEventListener("click", async () => {
    const { call, provider } = button.dataset;
    const answer = latest = window.account[call](provider);
    line.textContent = "Continue in your browser.";
    const { user, problem } = await answer;
    // The user has pressed another button meanwhile.
    if (answer !== latest) return;
    const who = user ? `Signed in as ${user.uid} (${user.providers.join(", ")}).` : "Signed out.";
    line.textContent = problem ? `${who} ${problem.message}` : who;
    for (const other of buttons) {
      other.hidden = (other.dataset.call === "signIn") === Boolean(user) || user?.providers.includes(other.dataset.provider);
    }
  });
}
