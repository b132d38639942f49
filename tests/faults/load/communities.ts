/** The community whose tokens are replaced. Its requests are not in the journal. */
export const REPLACED_COMMUNITY = 'replaced';
