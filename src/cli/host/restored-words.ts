/** Says what a restored store left behind, and what to do about it. */
import { counted } from '../../lib/amounts.ts'
import type { Ended } from '../../operations/move/service.ts'
import { tell } from '../terminal/output.ts'

export function tellEnded(endedCounts: Ended, isTrial: boolean): void {
  const { sessions, trusted_browsers, links, mails, deliveries } = endedCounts
  const trust = trusted_browsers === 0 ? '' : ` and the trust in ${counted(trusted_browsers, 'browser')}`
  tell(`All users must sign in again: ${counted(sessions, 'session')}${trust} ended.`)
  if (links > 0) {
    tell(
      `${counted(links, 'link')} in messages no longer work${links === 1 ? 's' : ''}. Invited users: rollbook users list --invited true`,
    )
  }
  if (mails > 0) {
    const what = 'Look at them with rollbook mails list --status held, then run rollbook mails release or discard.'
    tell(`${counted(mails, 'message')} that waited ${mails === 1 ? 'is' : 'are'} held. ${what}`)
  }
  if (deliveries > 0)
    tell(`${counted(deliveries, 'webhook delivery', 'webhook deliveries')} waited and will not be sent.`)
  if (isTrial) tell('This is a trial: a server on this store sends nothing and calls nothing outside.')
}
