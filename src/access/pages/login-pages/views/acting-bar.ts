/** The bar on every page of an administrator who acts as a user: as whom, until when, and a button that stops it. */

import type { SignedIn } from '../../../../core/actor.ts'
import { type Html, html } from '../../../../lib/html.ts'
import { timestamp } from '../../../../lib/instant.ts'
import { directionOf } from '../../../../lib/language-tags.ts'
import type { Texts } from '../../page-texts/service.ts'

export type Acting = { administrator: string; username: string; until: string; now: number }

export function actingIn(person: SignedIn | undefined, now: number): Acting | undefined {
  if (person?.impersonation === undefined) return undefined
  const { act, endsAtMs } = person.impersonation
  return { administrator: act.username, username: person.username, until: timestamp(endsAtMs), now }
}

export function actingStyles({ acting, assets }: { acting?: Acting | undefined; assets: string }): Html {
  return acting === undefined ? html`` : html`<link rel="stylesheet" href="${assets}/acting.css">\n`
}

export function actingBar({ acting, up, t }: { acting?: Acting | undefined; up: string; t: Texts }): Html {
  if (acting === undefined) return html``
  const { language } = t.page
  return html`<section class="acting" lang="${language}" dir="${directionOf(language)}" aria-label="${t.acting.label}">
<p>${t.acting.as(acting)}</p>
<form method="post" action="${up}exit"><button type="submit">${t.acting.exit}</button></form>
</section>
`
}
