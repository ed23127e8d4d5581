// What the example uses of Electron, as a program that a test controls: each line of the input calls a handler as the preload
// script does, or answers a dialog, and each line of the output is an event.

import { createInterface } from "node:readline";

const say = (event) => console.log(JSON.stringify(event));
const handlers = {};
let choose;

export const app = { whenReady: async () => {}, on: () => {}, quit: () => process.exit() };
export const shell = { openExternal: async (open) => say({ open }) };
export const ipcMain = { handle: (name, handler) => { handlers[name] = handler; } };
export const dialog = {
  async showMessageBox(window, { message, buttons }) {
    say({ ask: message, buttons });
    return { response: await new Promise((resolve) => { choose = resolve; }) };
  },
};

export class BrowserWindow {
  constructor({ webPreferences }) {
    this.webPreferences = webPreferences;
    this.guards = {};
    this.webContents = {
      setWindowOpenHandler: (handler) => { this.guards.open = handler().action; },
      on: (name, handler) => handler({ preventDefault: () => { this.guards[name] = "prevented"; } }),
    };
  }

  focus() {}

  async loadFile(file) {
    say({ file, handlers: Object.keys(handlers), guards: this.guards, ...this.webPreferences });
    for await (const line of createInterface({ input: process.stdin })) {
      const message = JSON.parse(line);
      if (typeof message === "number") choose(message);
      else handlers[message.call]({}, message.provider).then((answer) => say({ answer }));
    }
  }
}
