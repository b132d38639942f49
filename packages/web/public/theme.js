// Applies the stored theme before the page is painted, so that the other theme does not flash. This is a file
// of its own because the security policy forbids inline scripts. src/theme.ts stores the theme.
try {
  const theme = localStorage.getItem('badge.theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // The browser stores nothing. The page follows the system.
}
