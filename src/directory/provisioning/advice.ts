/** Advice for operators about a rejected request. */

type Refusal = { status: number; scim_type: string | null; method: string; path: string }

const byKeyword: Readonly<Record<string, string>> = {
  uniqueness:
    'Another user or group already has this name, email address or external id. Compare both in the console. If it is the same person, delete one of them, or let the identity provider match by userName before it creates.',
  invalidFilter:
    'The identity provider filters by an attribute that Rollbook does not have, or in a form that RFC 7644 §3.4.2.2 does not know. Match users by userName or externalId.',
  tooMany: 'No index serves this filter. Filter by userName, externalId or emails.value, or ask for fewer rows.',
  invalidPath:
    'The attribute mapping names an attribute that Rollbook does not have. Remove that row from the mapping. If the path looks right, give the connection the profile of its identity provider.',
  noTarget: 'The filter in the path matches no value. The profiles okta and entra create the value then.',
  invalidValue:
    'A value has the wrong type or form. Check the expression of this attribute in the mapping. If booleans arrive as text, give the connection the profile okta or entra.',
  invalidSyntax:
    'The request is not a SCIM message. If it comes from Okta or Entra ID, give the connection that profile; otherwise report it to the maker of the client.',
  mutability: 'The attribute is set by Rollbook alone. Remove it from the mapping.',
  sensitive: 'A value that must not stand in an address was sent in one. Use POST /.search instead of GET.',
  invalidCursor: 'The client continued a list from another service or release. Start the synchronization again.',
  expiredCursor: 'The client waited too long between two pages. Start the synchronization again.',
  invalidCount: 'Ask for at least one row.',
}

const byStatus: Readonly<Record<number, string>> = {
  403: 'The API key lacks a right. A user whose role outranks the connection can be changed by an administrator only.',
  404: 'The user or group was deleted here. Restore it in the console, or let the identity provider create it again.',
  405: 'SCIM does not know this method for the path. Check the address in the identity provider: it ends with /scim/v2.',
  409: 'Another connection manages this user, or the last administrator would be lost. The detail says which.',
  412: 'The resource has changed since it was read. The identity provider repeats the change by itself.',
  413: 'The request is too large. Send fewer operations, or fewer members, at once.',
  415: 'Send the body as application/scim+json in UTF-8.',
}

export function adviceFor({ status, scim_type }: Refusal): string {
  const advice = (scim_type === null ? undefined : byKeyword[scim_type]) ?? byStatus[status]
  return advice ?? 'The detail says what is wrong with the request. Change the mapping in the identity provider.'
}
