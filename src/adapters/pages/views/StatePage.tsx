import type * as Checkout from "../../../domain/sharing/Checkout.ts"
import type { Texts } from "../texts/English.ts"
import { Document, render } from "./Document.tsx"

interface StatePageProps {
  readonly texts: Texts
  readonly from: Checkout.Page["organisation"] | null
  readonly title: string
  readonly says: string
}

/** A page that takes no gift, and says why in a sentence. */
export const statePage = ({ from, says, texts, title }: StatePageProps): string =>
  render(
    <Document texts={texts} title={title} from={from}>
      <h1>{title}</h1>
      <p>{says}</p>
    </Document>
  )

/** The page of something that takes no gift now, in its organisation's name. */
export const closedPage = (
  texts: Texts,
  organisation: Checkout.Page["organisation"],
  closed: Checkout.ClosedReason
): string =>
  statePage({
    texts,
    from: organisation,
    title: closed === "completed" ? texts.paidTitle : texts.closedTitle,
    says: texts.closed[closed]
  })
