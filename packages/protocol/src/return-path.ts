/**
 * The pages to which the link of a sign-in mail can lead back. None has a part that can be a text, because
 * anybody can have the mail sent to anybody.
 */
export const RETURN_PATH_PATTERN =
  '^/((badges|my-badges|verify|(token|claim)/[1-9][0-9]{0,15}|wallet/0x[0-9a-fA-F]{40})/?)?$';
