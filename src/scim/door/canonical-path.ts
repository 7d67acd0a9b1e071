/** Addresses as well-known clients spell them: `/users`, `/Users/?filter=…`, or `//Users` after a base address with a slash. */
const root = '/scim/v2/'

const endpoints = new Map(
  ['Users', 'Groups', 'Me', 'Bulk', 'Schemas', 'ResourceTypes', 'ServiceProviderConfig'].map((name) => [
    name.toLowerCase(),
    name,
  ]),
)

/** Returns the URL as the SCIM routes spell it. Other URLs are returned unchanged. */
export function canonicalScimPath(url: string, basePath: string): string {
  if (!url.startsWith(root, basePath.length) || !url.startsWith(basePath)) return url
  const start = basePath.length + root.length
  const end = url.indexOf('?') < 0 ? url.length : url.indexOf('?')
  const [endpoint = '', ...rest] = url.slice(start, end).split('/').filter(Boolean)
  const path = [endpoints.get(endpoint.toLowerCase()) ?? endpoint, ...rest].join('/')
  return `${basePath}${root}${path}${url.slice(end)}`
}
