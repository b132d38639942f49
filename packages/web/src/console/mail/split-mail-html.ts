/**
 * Takes the styles out of the HTML of a mail. The security policy of the pages forbids inline styles, also in
 * a frame that shows a mail, so the page sets them itself: `css` as a style sheet, and each `data-style` as
 * the style of its element.
 */
export function splitMailHtml(html: string): { html: string; css: string } {
  const sheets: string[] = [];
  const bare = html.replaceAll(/<style>([\s\S]*?)<\/style>/g, (_, sheet: string) => {
    sheets.push(sheet);
    return '';
  });
  // Texts in a mail contain no quotes of their own: the service writes them as `&quot;`.
  return { html: bare.replaceAll(/ style="/g, ' data-style="'), css: sheets.join('\n') };
}
