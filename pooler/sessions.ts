/** The size of the pool that the acceptance suite uses: the three processes together have 51 connections to it. */
export const SESSIONS = 10;
