// What the example uses of Electron, as a program that a test controls: each line of the input calls a handler as the preload
// script does, or answers a dialog, and each line of the output is an event.

import { createInterface } from "node:readline";

const say = (event) => console.log(JSON.stringify(event));
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const handlers = {};

export const app = { whenReady: async () => {}, on: () => {}, quit: () => process.exit() };
export const shell = { openExternal: async (open) => say({ open }) };
export const ipcMain = { handle: (name, handler) => { handlers[name] = handler; } };
export const dialog = {
  async showMessageBox(window, { message, buttons }) {
    say({ ask: message, buttons });
    return { response: JSON.parse((await lines.next()).value) };
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
    for await (const line of lines) {
      const { call, provider } = JSON.parse(line);
      say({ answer: await handlers[call]({}, provider) });
    }
  }
}
