import { Result, Schema } from "effect"
import { InvalidInput } from "../kernel/Rejection.ts"

/** The grounds on which pages set their colours: of the page and of its boxes, and the text of buttons, by light and by dark. */
export const grounds = {
  light: { page: "#ffffff", box: "#f4f5f2", on: "#ffffff" },
  dark: { page: "#131816", box: "#1d2421", on: "#10211c" }
} as const

/** The least contrast of a text of usual size. WCAG 2.2, 1.4.3. */
export const leastContrast = 4.5

/** A colour as web pages write it in full. */
export const Color = Schema.String.check(
  Schema.isMaxLength(7),
  Schema.isPattern(/^#[0-9a-fA-F]{6}$/, {
    expected: "a colour of six hexadecimal digits, such as #0a5a4b",
    description: "a colour, such as #0a5a4b"
  })
)

type Channels = readonly [red: number, green: number, blue: number]

const channelsOf = (color: string): Channels => [
  Number.parseInt(color.slice(1, 3), 16),
  Number.parseInt(color.slice(3, 5), 16),
  Number.parseInt(color.slice(5), 16)
]

const linear = (channel: number): number => {
  const share = channel / 255
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
}

const luminanceOf = (color: string): number => {
  const [red, green, blue] = channelsOf(color)
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
}

/**
 * The contrast of two colours, from 1 to 21. WCAG 2.2.
 * @example Accent.contrastOf("#000000", "#ffffff") // => 21
 */
export const contrastOf = (a: string, b: string): number => {
  const [one, other] = [luminanceOf(a) + 0.05, luminanceOf(b) + 0.05]
  return Math.max(one / other, other / one)
}

const steps = 50

/** The colour, or the nearest one on its way to white or black that has the contrast on a ground; the last one has it. */
const towards = (end: 0xff | 0, color: string, ground: string): string => {
  for (let step = 0; ; step++) {
    const mixed = channelsOf(color).map((channel) => Math.round(channel + (end - channel) * (step / steps)))
    const found = `#${mixed.map((channel) => channel.toString(16).padStart(2, "0")).join("")}`
    if (contrastOf(found, ground) >= leastContrast) return found
  }
}

/**
 * The colours of links and buttons by light, which is the accent itself, and by dark, for which it is lightened as far as it needs.
 * @example Accent.shadesOf("#0a5a4b").light // => "#0a5a4b"
 */
export const shadesOf = (accent: string): { readonly light: string; readonly dark: string } => ({
  light: accent,
  dark: towards(0xff, accent, grounds.dark.box)
})

/** The accent in small letters; an {@link InvalidInput} that offers a darker one where it is too light to be read. */
export const readAccent = (given: string): Result.Result<string, InvalidInput> => {
  const accent = given.toLowerCase()
  const darker = towards(0, accent, grounds.light.box)
  if (darker === accent) return Result.succeed(accent)
  // Rounded down: one that just falls short must not read as if it reached.
  const has = Math.floor(contrastOf(accent, grounds.light.box) * 10) / 10
  const message = `accent_color ${accent} is too light to be read on a light page: its contrast is ${has} and has to be ${leastContrast}. Take a darker one, such as ${darker}.`
  return Result.fail(new InvalidInput({ param: "accent_color", message }))
}
