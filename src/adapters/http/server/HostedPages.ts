import { slugPlaceholder, withoutSlash } from "../../../domain/kernel/PublicAddress.ts"

/** The subjects of pages for donors and invitees. */
export type PageSubject = "gift" | "invitation" | "organisation"

/** The subjects of the pages that answers link to, by the first segment of their path. decisions, section 8. */
const kinds: Readonly<Record<string, PageSubject>> = { f: "gift", g: "gift", c: "gift", i: "invitation" }

const slugCharacters = 63

const isSlug = (text: string): boolean => /^[a-z0-9-]+$/.test(text)

const withoutPort = (host: string): string => host.replace(/:\d*$/, "")

/** An address without scheme and port, which a proxy may have changed. */
const placeOf = (address: string): string => {
  const [host = "", ...path] = address.replace(/^https?:\/\//, "").split("/")
  return [withoutPort(host).toLowerCase(), ...path].join("/")
}

/** The rest of an address after the part that belongs to an organisation; undefined where it is not of that form. */
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
 * Finds by host and path which page an address made from the template would have; undefined for every other address. It
 * asks no store, so that it does not reveal whether the organisation or the page exists.
 */
export const hostedPages = (
  publicUrlTemplate: string
): ((host: string | undefined, path: string) => PageSubject | undefined) => {
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
