import { currencies } from "./Currencies.ts"

/**
 * Currencies whose minor unit is no hundredth of them, and those that have none: one of these would be taken wrong by a factor
 * of ten or more wherever somebody counts in hundredths. ISO 4217, but for the ariary and the ouguiya, which have a fifth. Yen
 * are counted whole everywhere.
 */
const uncounted: ReadonlySet<string> = new Set([
  ...["BIF", "CLP", "DJF", "GNF", "ISK", "KMF", "KRW", "PYG", "RWF", "UGX", "UYI", "VND", "VUV", "XAF", "XOF", "XPF"],
  ...["BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"],
  ...["CLF", "UYW"],
  ...["MGA", "MRU"]
])

/**
 * Whether charges may be taken in a currency: those with hundredths, and the yen. money, section 4: Currency.
 * @example
 * ChargeCurrency.isChargeable("JPY") // => true
 * ChargeCurrency.isChargeable("KWD") // => false
 */
export const isChargeable = (currency: string): boolean => currencies.includes(currency) && !uncounted.has(currency)
