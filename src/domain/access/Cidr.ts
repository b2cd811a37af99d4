import { Schema } from "effect"
import { noLongerThan } from "../kernel/Length.ts"
import { parseNetwork } from "./IpAddress.ts"

/** Longest network in text: eight groups of IPv6, and the length of its prefix. */
const longest = "ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255/128".length

const expected = "a network in CIDR notation, e.g. 10.0.0.0/8"

/** A network in CIDR notation: an address of it, and how many of its leading bits all of its addresses have. */
export const Cidr = Schema.String.check(
  noLongerThan(longest, expected),
  Schema.makeFilter((text) => parseNetwork(text) !== undefined, {
    expected,
    arbitraryConstraint: { patterns: [{ source: "^10\\.[0-9]\\.0\\.0/16$", flags: "" }] }
  })
)
