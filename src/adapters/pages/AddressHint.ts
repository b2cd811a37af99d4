/** The mailbox providers that most donors have. */
const known = [
  "bigpond.com",
  "bigpond.net.au",
  "gmail.com",
  "hotmail.com",
  "icloud.com",
  "iinet.net.au",
  "live.com.au",
  "optusnet.com.au",
  "outlook.com",
  "outlook.com.au",
  "proton.me",
  "yahoo.com",
  "yahoo.com.au"
]

/** Whether one letter more, one fewer, another one, or two that changed places make one word of the other. */
const isOneSlip = (a: string, b: string): boolean => {
  if (Math.abs(a.length - b.length) > 1 || a === b) return false
  let begin = 0
  while (begin < a.length && a[begin] === b[begin]) begin += 1
  let end = 0
  while (end < Math.min(a.length, b.length) - begin && a.at(-1 - end) === b.at(-1 - end)) end += 1
  const [left, right] = [a.slice(begin, a.length - end), b.slice(begin, b.length - end)]
  return Math.max(left.length, right.length) <= 1 || (left.length === 2 && left === [...right].reverse().join(""))
}

/**
 * The address that was probably meant, where its domain is one slip away from one that many have; null otherwise.
 * @example
 * suggestedAddress("kim@gmial.com") // => "kim@gmail.com"
 * suggestedAddress("kim@gmail.com") // => null
 */
export const suggestedAddress = (email: string): string | null => {
  const at = email.lastIndexOf("@")
  const domain = email.slice(at + 1).toLowerCase()
  if (at < 1 || known.includes(domain)) return null
  const meant = known.find((each) => isOneSlip(domain, each))
  return meant === undefined ? null : `${email.slice(0, at)}@${meant}`
}
