import { randomBytes } from "node:crypto"

const digits = "0123456789abcdefghjkmnpqrstvwxyz"

/** A prefixed, time-ordered identifier: 48 bits of time and 80 of chance, in base32. */
export function newId(prefix) {
  let time = Date.now()
  let head = ""
  for (let index = 0; index < 10; index++) {
    head = digits[time % 32] + head
    time = Math.floor(time / 32)
  }
  let tail = ""
  for (const byte of randomBytes(16)) tail += digits[byte & 31]
  return `${prefix}_${head}${tail}`
}
