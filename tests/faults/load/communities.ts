/** The community whose tokens are replaced. Its requests are not in the journal. */
export const REPLACED_COMMUNITY = 'replaced';

/** The community whose badges end. Its requests are not in the journal either. */
export const ENDING_COMMUNITY = 'ending';

/** The community that reminds people. Its requests are not in the journal either. */
export const REMINDED_COMMUNITY = 'reminded';
