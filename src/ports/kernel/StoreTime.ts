/**
 * How far the time that a store tells may be behind its clock, by which it judges what is due, milliseconds. It is never ahead.
 * @example const mayBeDue = (lookAtMillis: number, toldMillis: number) => lookAtMillis <= toldMillis + storeTimeLateMillis
 */
export const storeTimeLateMillis = 50
