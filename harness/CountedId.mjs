/** Ids of many rows that are copied from one, as SQL. */

const digits = "0123456789abcdefghjkmnpqrstvwxyz"

/** The last five digits of an id, counted up; 32^5 of them. */
const suffix = [20, 15, 10, 5, 0].map((shift) => `substr('${digits}', ((n >> ${shift}) & 31) + 1, 1)`).join(" || ")

/** An id with the number `n` of a row in its last five digits, as SQL. */
export const countedId = (id) => `left(${id}, -5) || ${suffix}`
