import { slugPlaceholder, withoutSlash } from "../../../domain/kernel/PublicAddress.ts"

/** What the address of a page for donors or invitees is about. */
export type Hosted = "gift" | "invitation" | "organisation"

/** The pages that answers link to. decisions, section 8. */
const kinds: Readonly<Record<string, Hosted>> = { f: "gift", g: "gift", c: "gift", i: "invitation" }

const slugCharacters = 63

const isSlug = (text: string): boolean => /^[a-z0-9-]+$/.test(text)

const withoutPort = (host: string): string => host.replace(/:\d*$/, "")

/** An address without its scheme and its port, which a proxy may have changed. */
const placeOf = (address: string): string => {
  const [host = "", ...path] = address.replace(/^https?:\/\//, "").split("/")
  return [withoutPort(host).toLowerCase(), ...path].join("/")
}

/** What follows an organisation's own address, whichever organisation it is. */
const afterOrganisation = (template: string, place: string): string | undefined => {
  const from = template.indexOf(slugPlaceholder)
  if (!place.startsWith(template.slice(0, from))) return undefined
  for (let length = 1; length <= slugCharacters; length++) {
    const slug = place.slice(from, from + length)
    if (slug.length < length || !isSlug(slug)) return undefined
    const own = template.replaceAll(slugPlaceholder, slug)
    if (place.startsWith(`${own}/`)) return place.slice(own.length + 1)
  }
  return undefined
}

/**
 * Tells by host and path what page an address that was made from the template would have; undefined for every other one.
 * It asks no store: whether there is such an organisation or such a page is not told.
 */
export const hostedPages = (
  publicUrlTemplate: string
): ((host: string | undefined, path: string) => Hosted | undefined) => {
  const template = placeOf(withoutSlash(publicUrlTemplate))
  const ownsHost = template.split("/", 1).join("").includes(slugPlaceholder)
  return (host, path) => {
    if (host === undefined) return undefined
    const rest = afterOrganisation(template, `${withoutPort(host).toLowerCase()}${path}`)
    if (rest === undefined) return undefined
    if (rest === "") return ownsHost ? "organisation" : undefined
    const [kind = "", name = ""] = rest.split("/")
    return name === "" || !Object.hasOwn(kinds, kind) ? undefined : kinds[kind]
  }
}
