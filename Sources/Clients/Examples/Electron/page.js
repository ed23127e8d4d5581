const line = document.getElementById("status");
const buttons = [...document.querySelectorAll("button")];

for (const button of buttons) {
  button.addEventListener("click", async () => {
    const { call, provider } = button.dataset;
    buttons.forEach((other) => { other.disabled = true; });
    line.textContent = "Continue in your browser.";
    const { user, problem } = await window.account[call](provider);
    const who = user ? `Signed in as ${user.uid} (${user.providers.join(", ")}).` : "Signed out.";
    line.textContent = problem ? `${who} ${problem.message}` : who;
    for (const other of buttons) {
      other.disabled = false;
      other.hidden = (other.dataset.call === "signIn") === Boolean(user) || user?.providers.includes(other.dataset.provider);
    }
  });
}
