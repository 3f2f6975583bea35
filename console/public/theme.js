// Applies the chosen theme before the first paint: a script of its own, because a page's policy
// refuses inline ones, and a classic one, because modules run after the document was parsed.
try {
  const theme = localStorage.getItem("kurs.theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // The browser blocks storage: the system's theme it is.
}
