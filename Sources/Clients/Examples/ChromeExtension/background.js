// A page of its own: a pop-up of the button would close as soon as the window of the sign-in opens.
chrome.action.onClicked.addListener(() => chrome.tabs.create({ url: "account.html" }));
