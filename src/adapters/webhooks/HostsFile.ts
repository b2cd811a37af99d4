import { readFile } from "node:fs/promises"
import { isIP } from "node:net"

/** The addresses of a host name in the text of a hosts file. */
export const addressesIn = (text: string, hostname: string): ReadonlyArray<string> => {
  const lower = text.toLowerCase()
  // Quick check: a long file seldom has the name that is asked for.
  if (!lower.includes(hostname)) return []
  return lower.split("\n").flatMap((line) => {
    const [address = "", ...names] = line.replace(/#.*/, "").trim().split(/\s+/)
    return isIP(address) !== 0 && names.includes(hostname) ? [address] : []
  })
}

/** The addresses of a host name in a hosts file; none where there is no such file. */
export const readHosts = (path: string, hostname: string): Promise<ReadonlyArray<string>> =>
  readFile(path, "utf8").then(
    (text) => addressesIn(text, hostname),
    () => []
  )
