/** The members and parameters that resources with a unique name share. */

export const name = { type: 'string', minLength: 1, maxLength: 128 } as const

export const externalId = { type: ['string', 'null'], minLength: 1, maxLength: 255 } as const

/** The parameters of a list of `nouns`. */
export function listParameters<const Sorts extends readonly string[]>(
  noun: 'group' | 'organization',
  nouns: 'groups' | 'organizations',
  sorts: Sorts,
) {
  const Nouns = `${nouns.charAt(0).toUpperCase()}${nouns.slice(1)}`
  return {
    limit: {
      type: 'integer',
      minimum: 1,
      maximum: 1000,
      description: `The maximum number of ${nouns} to return, with a \`Link\` to the next page. Default: 100.`,
    },
    cursor: {
      type: 'string',
      maxLength: 16_384,
      description: 'Where the page starts: from the `Link` header of the previous page.',
    },
    sort: {
      type: 'string',
      enum: sorts.flatMap((sort: Sorts[number]) => [sort, `-${sort}`] as const),
      description: `Order of the ${nouns}, \`-\` for descending. Default: \`name\`.`,
    },
    q: {
      type: 'string',
      minLength: 1,
      maxLength: 256,
      description: `${Nouns} whose name contains every word, in any order, ignoring case and accents, or with exactly this id or external id.`,
    },
    name: { type: 'string', maxLength: 512, description: `The ${noun} with exactly this name, ignoring case.` },
    external_id: { type: 'string', maxLength: 512, description: `The ${noun} with exactly this external id.` },
  } as const
}
