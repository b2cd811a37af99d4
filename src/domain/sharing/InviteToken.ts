import { Option, Schema } from "effect"
import { IntroductionId } from "../kernel/Ids.ts"
import { publicUrl } from "../kernel/PublicAddress.ts"

/** The parts of an invite token: the introduction that it is for, and the MAC that vouches for it. */
export interface InviteToken {
  readonly id: IntroductionId
  readonly mac: string
}

const readId = Schema.decodeUnknownOption(IntroductionId)

const page = "/i/"

/** The token as text: the introduction's id and its MAC. It is derived each time and never stored. decisions, section 4. */
export const write = ({ id, mac }: InviteToken): string => `${id}.${mac}`

/** The parts of a token, not yet verified; none for a text that cannot be a token. */
export const read = (token: string): Option.Option<InviteToken> => {
  const [id, mac, ...rest] = token.split(".")
  return mac === undefined || mac === "" || rest.length > 0
    ? Option.none()
    : Option.map(readId(id), (known) => ({ id: known, mac }))
}

/**
 * The address that a token is shared by. decisions, section 8.
 * @example InviteToken.urlOf("https://{slug}.example.org", "sea", "t0k3n") // => "https://sea.example.org/i/t0k3n"
 */
export const urlOf = (template: string, slug: string, token: string): string =>
  publicUrl(template, slug, `${page}${token}`)

/**
 * The token in an address as it was shared; a text that is no such address is taken as a token itself.
 * @example
 * InviteToken.tokenIn(InviteToken.urlOf("https://{slug}.example.org", "sea", "t0k3n")) // => "t0k3n"
 * InviteToken.tokenIn(" t0k3n ") // => "t0k3n"
 */
export const tokenIn = (text: string): string => {
  const trimmed = text.trim()
  const start = trimmed.lastIndexOf(page)
  const shared = start < 0 ? trimmed : trimmed.slice(start + page.length)
  return shared.replace(/[/?#].*/su, "")
}
