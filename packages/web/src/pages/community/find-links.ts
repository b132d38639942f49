/** Returns the http and https links in a text, without repetitions and without the punctuation after them. */
export function findLinks(text: string): string[] {
  const found = text.match(/https?:\/\/[^\s<>"]+/gi) ?? [];
  const links = found.map(dropPunctuation).filter((link) => URL.canParse(link));
  return [...new Set(links)];
}

/** A closing parenthesis belongs to the sentence unless the link contains an opening one. */
function dropPunctuation(link: string): string {
  const shorter = link.replace(/[.,;:!?'’”»،؛؟]+$/, '');
  const isWrapped = shorter.endsWith(')') && !shorter.includes('(');
  return isWrapped ? dropPunctuation(shorter.slice(0, -1)) : shorter;
}
