import { useLingui } from '@lingui/react/macro'
import type { PasteFault } from '../../../../src/lib/paste-checks.ts'

/** Returns what to say about a value that was probably pasted by mistake. */
export function usePasteWords(): (fault: PasteFault) => string {
  const { t } = useLingui()
  const words: Record<PasteFault, string> = {
    blanks: t`There is a space in it.`,
    is_url: t`This is an address, not the value itself.`,
    not_url: t`This is not an address. It begins with https://.`,
    not_https: t`The address must use https.`,
    is_secret: t`This looks like the client secret. Enter the client ID here.`,
    is_client_id: t`This is the client ID. Enter the client secret here.`,
    is_secret_id: t`This is the Secret ID. Copy the Value beside it.`,
    is_masked: t`The provider shows the secret only in part. Create a new one, and copy it at once.`,
    google_client_id: t`A client ID of Google ends with .apps.googleusercontent.com.`,
    entra_client_id: t`The Application (client) ID has the form 00000000-0000-0000-0000-000000000000.`,
    configuration_address: t`This is the address of the configuration. The issuer is the part before it.`,
    extra_path: t`The path at its end is not part of the issuer.`,
    trailing_slash: t`The issuer has no slash at its end.`,
    slash_missing: t`The issuer ends with a slash.`,
    admin_address: t`This is the address of the provider’s administration.`,
    tenant_id: t`This is the id of the tenant. The issuer contains it.`,
    not_tenant_issuer: t`The issuer of a tenant is https://login.microsoftonline.com/, its id, and /v2.0.`,
    host_only: t`The issuer begins with https://.`,
    realm_missing: t`The issuer ends with /realms/ and the name of the realm.`,
    own_address: t`This is an address of this service. Enter the provider’s.`,
    web_page: t`This is a web page for people. Copy the address or the text of the metadata.`,
    not_xml: t`This is not an XML document.`,
    own_metadata: t`This is the metadata of a service. Enter that of the provider.`,
    not_pem: t`A certificate begins with -----BEGIN CERTIFICATE-----.`,
    private_key: t`This is a private key. Enter the certificate, and replace the key: it is no longer secret.`,
    github_path: t`Enter only the address, without a path.`,
    not_domain: t`Enter domains only, one per line, such as example.com.`,
    public_domain: t`Anyone can have an address there, and the provider does not control it. List domains of the company only.`,
  }
  return (fault) => words[fault]
}
