/** Whether a text is an origin as browsers send it: its host in small letters, and without a port that is the usual one. */
export const isOrigin = (text: string): boolean =>
  /^(?:https:\/\/[a-z\d.-]+|http:\/\/(?:[a-z\d.-]+\.)?localhost)(?::\d+)?$/.test(text) &&
  URL.canParse(text) &&
  new URL(text).origin === text

/**
 * What a text must be in place of an origin: the one that it is meant for, where it is an address of its site.
 * @example
 * Origin.originExpectation("https://www.example.org/") // => "written as https://www.example.org, as browsers send it: https and a host, no path"
 */
export const originExpectation = (text: string): string => {
  const meant = URL.canParse(text) ? new URL(text).origin : ""
  return isOrigin(meant)
    ? `written as ${meant}, as browsers send it: https and a host, no path`
    : "an origin as browsers send it, such as https://www.example.org: https and a host, no path"
}
