/**
 * How far the time that a store tells may be behind its clock, by which it judges what is due, milliseconds. It is never ahead.
 */
export const storeTimeLateMillis = 50
