import { join } from "node:path";
import { app, BrowserWindow, dialog, ipcMain, shell } from "electron";
import { makeAccount } from "./account.mjs";

function start() {
  const window = new BrowserWindow({
    width: 480,
    height: 360,
    webPreferences: {
      preload: join(import.meta.dirname, "preload.cjs"), contextIsolation: true, nodeIntegration: false, sandbox: true,
    },
  });
  // The window shows its own page only: another page would have the functions of preload.cjs.
  window.webContents.setWindowOpenHandler(() => ({ action: "deny" }));
  window.webContents.on("will-navigate", (event) => event.preventDefault());

  const account = makeAccount({
    server: process.env.SERVER ?? "http://127.0.0.1:8080",
    clientId: process.env.CLIENT ?? "without-sdk",
    // The browser of the system, never a BrowserWindow, which the application can read (RFC 8252 §8.12).
    open: (url) => shell.openExternal(url),
    mayMerge: async (uid) => {
      const { response } = await dialog.showMessageBox(window, {
        type: "question",
        message: `It belongs to the account ${uid}. Move it here, and delete that account?`,
        buttons: ["Cancel", "Move and delete"],
        defaultId: 0,
        cancelId: 0,
      });
      return response === 1;
    },
  });
  for (const [name, work] of Object.entries(account)) {
    ipcMain.handle(name, async (event, provider) => {
      const answer = await work(provider);
      window.focus();
      return answer;
    });
  }
  window.loadFile("index.html");
}

// Not awaited: Electron is ready only after this module has been loaded.
app.whenReady().then(start);
app.on("window-all-closed", () => app.quit());
