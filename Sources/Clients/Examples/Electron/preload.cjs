const { contextBridge, ipcRenderer } = require("electron");

// The page can call these functions, and reaches nothing else of Electron.
contextBridge.exposeInMainWorld("account", {
  signIn: (provider) => ipcRenderer.invoke("signIn", provider),
  link: (provider) => ipcRenderer.invoke("link", provider),
  signOut: () => ipcRenderer.invoke("signOut"),
});
