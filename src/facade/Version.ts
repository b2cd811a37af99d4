const unknown = "0"

/** The version of the package; "0" where the host was bundled and its manifest is not beside the code. */
export const readVersion = async (): Promise<string> => {
  const { createRequire } = await import("node:module")
  try {
    const manifest: { readonly name?: unknown; readonly version?: unknown } = createRequire(import.meta.url)(
      "../../package.json"
    )
    return manifest.name === "almoner" && typeof manifest.version === "string" ? manifest.version : unknown
  } catch {
    return unknown
  }
}
