/**
 * The number of sessions in the pool that the acceptance suite uses. The three processes together can open 51 connections
 * to the pooler, so they must share the sessions.
 */
export const SESSIONS = 10;
