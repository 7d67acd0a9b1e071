import { html, type Text } from '../../../lib/html.ts'
import type { Texts } from '../page-texts/service.ts'

/** A device as a session names it, `Firefox on Linux`, in the language of the page. */
export function deviceIn({ account: { sessions } }: Texts, device: string): Text {
  return device === 'Unknown device' ? html`${sessions.unknownDevice}` : sessions.device(device)
}
