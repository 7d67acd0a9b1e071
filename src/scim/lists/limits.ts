/** What `ServiceProviderConfig` announces. */

export const scimLimits = {
  maxOperations: 1000,
  maxPayloadSize: 1_048_576,
  defaultPageSize: 100,
  maxPageSize: 1000,
  cursorTimeoutSeconds: 3600,
} as const
