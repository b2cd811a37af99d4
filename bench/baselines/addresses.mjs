/** The e-mail address of a gift's donor: nearly every donor gives twice, with about a hundred gifts of others in between. */
export const addressOf = (turn) => `ada-${turn % 2 === 0 || turn < 99 ? turn : turn - 99}@bench.example`
