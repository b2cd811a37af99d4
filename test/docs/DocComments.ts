/** The docstring that ends a text; empty without one. */
export const docstringAtEnd = (text: string): string => {
  const end = text.trimEnd()
  return end.endsWith("*/") ? end.slice(end.lastIndexOf("/**")) : ""
}

/** The examples of a docstring, as programs. */
export const examplesIn = (words: string): ReadonlyArray<string> => {
  const plain = words
    .slice(3, -2)
    .split("\n")
    .map((line) => line.replace(/^\s*\* ?/, ""))
    .join("\n")
  return plain
    .split(/^@example\b/m)
    .slice(1)
    .map((each) => (each.split(/^@\w+/m)[0] ?? "").trim())
}
