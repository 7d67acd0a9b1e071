/** Signals the viewer's remaining passkeys and current account name to the password manager. */
import type { Factors } from 'rollbook/client'
import { api } from '../../api/client.ts'

type Account = Factors['passkey_accounts'][number]
type Signals = {
  signalAllAcceptedCredentials?: (accepted: {
    rpId: string
    userId: string
    allAcceptedCredentialIds: string[]
  }) => Promise<void>
  signalCurrentUserDetails?: (details: {
    rpId: string
    userId: string
    name: string
    displayName: string
  }) => Promise<void>
}

/** @param before the accounts before a removal: a domain whose last passkey is gone is no longer listed */
export async function tellPasswordManager(before: readonly Account[] = []): Promise<void> {
  const signals = (window as { PublicKeyCredential?: Signals }).PublicKeyCredential
  if (signals?.signalAllAcceptedCredentials === undefined) return
  try {
    const { passkey_accounts: now } = await api.factors.listMine()
    const deleted = before.filter(({ rp_id }) => now.every((account) => account.rp_id !== rp_id))
    for (const account of [...now, ...deleted.map((one) => ({ ...one, credential_ids: [] }))]) {
      const { rp_id: rpId, user_handle: userId, name, display_name: displayName } = account
      await signals.signalAllAcceptedCredentials({ rpId, userId, allAcceptedCredentialIds: account.credential_ids })
      await signals.signalCurrentUserDetails?.({ rpId, userId, name, displayName })
    }
  } catch (error) {
    // Only a hint: the change is complete, and the service refuses removed passkeys anyway.
    console.info(error)
  }
}
