/** Passkeys in Chromium's virtual authenticator. */
import type { Page } from 'playwright-core'

/** What a page does to add a passkey, as docs/second-factors.md shows it. */
export const addPasskey = `(async () => {
  const { challenge_id, options } = await (await fetch('me/factors/passkeys/options', { method: 'POST' })).json()
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options)
  const passkey = (await navigator.credentials.create({ publicKey })).toJSON()
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ challenge_id, passkey, name: 'laptop' })
  return (await (await fetch('me/factors/passkeys', { method: 'POST', headers, body })).json()).factor_id
})()`

/** Adds an authenticator to this page. It responds while `touch` is on. */
export async function addVirtualAuthenticator(page: Page) {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: false,
    },
  })
  const touch = (enabled: boolean) => cdp.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled })
  const remove = () => cdp.detach()
  return { cdp, authenticatorId, touch, remove }
}
