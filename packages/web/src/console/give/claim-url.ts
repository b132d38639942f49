/** The page where people claim a badge, by its public page, such as `https://badge.example/token/7`. */
export function toClaimUrl(publicUrl: string): string {
  return publicUrl.replace(/\/token\/(\d+)$/, '/claim/$1');
}
