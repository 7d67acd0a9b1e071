/** The texts of the operations on the branding in the OpenAPI document. */
export const getDescription = `Returns the look of the sign-in pages, the pages behind links, the account page and messages. Members that are null have their
default. The same permission is needed to read and to change it: {access}.`

export const replaceDescription = `Replaces the whole branding: a member that is left out or null gets its default. Pages and messages of every node use the new one within a
second. Logos are stored as they were understood: an SVG without scripts, texts, pictures, style sheets and references to elsewhere, a PNG without anything but its
pixels. \`POST /branding/preview\` shows what is left out. Needs the permission {access}.`

export const getOfOrganizationDescription = `Returns the look of an organization. Members that are null are those of the product. The same permission is needed to read and to change it: {access}.`

export const replaceOfOrganizationDescription = `Replaces the whole look of an organization: a member that is left out or null is that of the product. Pages and messages
use it where they know the organization: of who is signed in, of whose link it is, of the connection, of the verified domain of the address that was typed, and of
\`organization\` in the address of the sign-in page. Images are cleaned as by \`PUT /branding\`. Needs the permission {access}.`

export const deleteOfOrganizationDescription = `Removes the look of an organization, which is then that of the product. Needs the permission {access}.`

export const previewDescription = `Shows the sign-in page and an invitation as they would be with this branding, and what would be stored of it. Nothing is changed. An accent
colour with too little contrast is replaced with the nearest one that has enough; \`PUT /branding\` refuses it. With \`organization_id\` it is the look of that
organization, with what it leaves out from the product's. Needs the permission {access}.`

export const example = {
  name: 'Acme Reports',
  logo: 'data:image/svg+xml,%3Csvg%20viewBox%3D%220%200%2032%2032%22%3E%3Crect%20width%3D%2232%22%20height%3D%2232%22%20rx%3D%227%22%20fill%3D%22%237a1f5c%22%2F%3E%3Cpath%20d%3D%22M16%206l10%2020H6z%22%20fill%3D%22%23fff%22%2F%3E%3C%2Fsvg%3E',
  accent_color: '#7a1f5c',
  privacy_url: 'https://www.example.com/privacy',
  support_url: 'mailto:help@example.com',
}
