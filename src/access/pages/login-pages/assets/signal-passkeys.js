// Tells the password manager which passkeys still work, and the account's present name. The page has them in a `data-` attribute.

async function tell({ rp_id: rpId, user_handle: userId, name, display_name: displayName, credential_ids }) {
  await PublicKeyCredential.signalAllAcceptedCredentials?.({ rpId, userId, allAcceptedCredentialIds: credential_ids })
  await PublicKeyCredential.signalCurrentUserDetails?.({ rpId, userId, name, displayName })
}

if ('PublicKeyCredential' in window) {
  for (const account of JSON.parse(document.currentScript.dataset.accounts)) {
    // Only a hint, and only for a domain of this page: removed passkeys are refused anyway.
    tell(account).catch((error) => console.info(error))
  }
}
