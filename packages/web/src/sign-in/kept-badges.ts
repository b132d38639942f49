/** Whether people can keep badges with their e-mail, as the HTML of the page says. */
export const hasKeptBadges = () => document.querySelector('meta[name=badge-has-kept-badges]') !== null;
