type SignIn = {
  name: string
  domains: readonly string[]
  trusted_domains: readonly string[]
  provisioning_domains: readonly string[]
}

/** @param managedDomains the domains of the addresses that the provisioning connection manages */
export function sameCompany(
  signIn: SignIn,
  provisioning: { name: string },
  managedDomains: readonly string[],
): boolean {
  if (nameKey(signIn.name) === nameKey(provisioning.name)) return true
  const { domains, trusted_domains, provisioning_domains } = signIn
  return [domains, trusted_domains, provisioning_domains].flat().some((domain) => managedDomains.includes(domain))
}

const nameKey = (name: string) => name.normalize('NFKC').trim().toLowerCase()
