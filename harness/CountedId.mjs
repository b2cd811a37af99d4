/** Ids of many rows that are copied from one, as SQL. */

const digits = "0123456789abcdefghjkmnpqrstvwxyz"

/** The last five digits of an id, counted up; 32^5 of them. */
const suffix = (number) =>
  [20, 15, 10, 5, 0].map((shift) => `substr('${digits}', ((${number} >> ${shift}) & 31) + 1, 1)`).join(" || ")

/** An id with the number `n` of a row in its last five digits, as SQL. */
export const countedId = (id) => `left(${id}, -5) || ${suffix("n")}`

/** An id of which one is known, counted on from that by the number `n` of a row, as SQL: none of them is that one. */
export const nextId = (id) => {
  const start = [...id.slice(-5)].reduce((sum, digit) => sum * 32 + digits.indexOf(digit), 0)
  return `'${id.slice(0, -5)}' || ${suffix(`(${start} + n)`)}`
}
