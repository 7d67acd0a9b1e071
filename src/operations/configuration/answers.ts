/** Texts for the OpenAPI document. */

export const getDescription = `Returns the file of the running system, as JSON, or as YAML with \`Accept: application/yaml\`: the same text for the
same state, without secrets, members that have their initial value, personal keys, keys of provisioning connections, and objects
whose names are not unique. Applied, it adopts what it describes; then its plan is empty. The \`ETag\` covers every object that a
file can describe; send it as \`If-Match\` with \`POST /configuration\`.`

export const applyDescription = `Makes the system as the file says, in one transaction: everything or nothing. With \`dry_run=true\` it returns the plan.

Sections that the file lacks are not managed; an empty one removes what a file created. Members that are left out have their initial
values, secrets that are left out stay. Each change needs the permission that it needs by itself. \`rollbook plan\` and \`rollbook
apply\` resolve references to secrets (\`{env: NAME}\`, \`{file: PATH}\`); here, send the secrets themselves. All faults are reported at
once, for YAML with line and column.

A plan needs the permission {access}, an apply \`configuration:write\`.`

export const historyDescription =
  'Returns the last applies with what they changed, and the managed objects that were changed by hand since.'

export const schemaDescription =
  'Returns the JSON Schema of a configuration file, for editors: `# yaml-language-server: $schema=<this address>`.'

const example = `version: 1
groups:
  - name: Support
    role: user
attributes:
  - { name: department, type: string, searchable: true }
`

export const bodies = {
  'application/yaml': {
    schema: { type: 'string', description: 'YAML 1.2 in UTF-8, without tags and merge keys.' },
    example,
  },
  'application/json': {
    schema: { $ref: '#/components/schemas/Configuration' },
    example: { version: 1, groups: [{ name: 'Support', role: 'user' }] },
  },
}
