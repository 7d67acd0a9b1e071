import type { ProblemCode } from '../../core/errors.ts'

/** What happened, and what to do: for the page that the `type` of a problem document leads to. What stands in backticks is code. */
export const problemTexts: Record<ProblemCode, { happened: string; doNext: string }> = {
  malformed_request: {
    happened:
      'What arrived is not a request as HTTP/1.1 has it, or one that two programs could read differently: a broken request line, no `Host` header, a header twice that may be there once, a `Content-Length` that does not fit the body, or a URL that is not percent-encoded UTF-8.',
    doNext:
      'Send the request with an HTTP library instead of putting it together by hand. If a library made it, look at the proxies in between.',
  },
  malformed_json: {
    happened:
      'The body is empty, is not JSON in UTF-8, or is JSON that two programs could read differently: the same member twice, half a character, a member named `__proto__`, nesting deeper than 16. `detail` says which, and where.',
    doNext: 'Correct the body. Let a JSON library write it; quoting by hand in a shell is the usual cause.',
  },
  malformed_csv: {
    happened: 'The body is not CSV as RFC 4180 has it: a quote is not closed, or a row is too long.',
    doNext:
      'Save the file as CSV in UTF-8 again. What stands well before the fault is done; `rows_done` of the import says up to where.',
  },
  malformed_header: {
    happened:
      'A header has a value that it cannot have: `If-Match` or `If-None-Match` without entity tags in quotes, or an `Idempotency-Key` that is empty, longer than 255 characters, or has other characters than visible ASCII.',
    doNext: 'Send the header in the form that `detail` names. An ETag is sent back as it came, with its quotes.',
  },
  bad_cursor: {
    happened: 'The `cursor` was not made by this API, was changed, or belongs to a list with another `sort`.',
    doNext:
      'Follow the URL in the `Link` header of the page before as it is. To begin again, leave the cursor out. Cursors do not expire.',
  },
  ambiguous_credentials: {
    happened:
      'Two credentials came with one request: different ones in `X-API-Key` and `Authorization`, or the cookie of a session beside one of them. Neither may stand in for the other.',
    doNext:
      'Send only the one that is meant. A client library or a proxy may add the other; a page of the product that calls with a key or token must leave the cookie out (`credentials: "omit"`).',
  },
  credential_missing: {
    happened: 'The request came without a credential, and this path needs one.',
    doNext:
      'Send an API key as `X-API-Key: rb_…` or `Authorization: Bearer rb_…`. The first start wrote one to `admin-key` in the data directory.',
  },
  credential_invalid: {
    happened:
      'There was a credential, but it is not valid: it is mistyped or incomplete, has expired, was revoked, was replaced and its time has run out, or belongs to another installation. `detail` says as much as is known.',
    doNext:
      'Send a valid one: the new key if it has been rotated, a new access token from `POST /token`, or sign in again. Whatever ends a credential is listed in docs/sessions.md.',
  },
  sign_in_failed: {
    happened:
      'The sign-in was refused. Whether the user exists, has a password, is disabled or locked is not said, and takes the same time.',
    doNext:
      'Check the username or e-mail address and the password. If they are right, an administrator can see whether the user is active or locked, unlock it, or set a new password.',
  },
  permission_denied: {
    happened: 'The credential is valid, but it does not hold the permission that `detail` names.',
    doNext:
      'Use a key with that permission, or ask somebody who may create keys for one. The permissions of a key cannot be changed later.',
  },
  user_required: {
    happened: 'This is about the person who calls, and the credential belongs to none: it is an API key, or a service.',
    doNext: 'Sign in with `POST /sessions`, or use the operation under `/users/{user_id}`.',
  },
  password_change_required: {
    happened:
      'An administrator has set a password that must be changed before anything else can be done. Until then the session serves for that alone.',
    doNext: 'Change the password with `POST /me/password`, or on the page `change-password`.',
  },
  current_password_wrong: {
    happened: 'The current password that confirms this change is wrong. The attempt was counted, as one to sign in is.',
    doNext: 'Repeat the request with the right password. If it is lost, ask an administrator to set a new one.',
  },
  cross_origin: {
    happened:
      'A request that changes something came with the cookie of a session, but not provably from a page of the same origin: another site may have made the browser send it.',
    doNext:
      'Call from a page of the same origin: browsers then send `Sec-Fetch-Site: same-origin` or a matching `Origin`. Scripts use an API key or an access token instead of a cookie. Behind a proxy, check `ROLLBOOK_PUBLIC_URL`.',
  },
  setup_link_invalid: {
    happened:
      'The token for the first administrator is not that of the newest link: it was used, another link took its place, its 24 hours are over, or it is not complete.',
    doNext:
      'Run `rollbook admin link` where the service runs, or start the service on a terminal again, and open the link that it prints.',
  },
  token_not_exchangeable: {
    happened: 'An access token was sent where a new one is issued; it would have made itself live for ever.',
    doNext: 'Send the session or the API key itself.',
  },
  role_not_grantable: {
    happened:
      'The request would give a user a role with permissions that the credential itself lacks. Otherwise a weak key could make itself an administrator.',
    doNext: "Choose a role within the credential's own permissions, or use a stronger credential.",
  },
  user_outranks_caller: {
    happened:
      'The user has a role with permissions that the credential lacks. Whoever could change such a user, the password above all, could act as that user.',
    doNext: 'Use a credential that holds at least the permissions of this role.',
  },
  permission_not_grantable: {
    happened:
      'The key to be created, rotated or revoked, or the access token that is asked for, holds permissions that the credential itself lacks. `detail` names them.',
    doNext: "Ask for no more than the credential's own permissions, or use a stronger credential.",
  },
  key_outlives_caller: {
    happened:
      'The API key to be created or rotated would last longer than the credential that asks for it: a key with an end, the old secret of a rotated key, an access token of such a key, or a token of a trusted issuer. `detail` says when the credential ends.',
    doNext:
      'Set `expires_at` to that time or an earlier one, or use a credential that lasts longer: the new secret of a rotated key, a key without an end, or a session.',
  },
  not_found: {
    happened: 'Nothing is served at this path. It is not about a user or a key: those have codes of their own.',
    doNext: 'Compare the path with the docs page, in particular its prefix and a slash at its end.',
  },
  user_not_found: {
    happened: 'There is no user with this `user_id`. There may have been one: ids are never reused.',
    doNext: 'Look the user up again with `GET /users?username=…`. For a deletion that was repeated this is success.',
  },
  key_not_found: {
    happened: 'There is no API key with this `key_id`, or it has been revoked.',
    doNext: 'Look the id up with `GET /keys`. It is the `key_id`, not the key itself.',
  },
  session_not_found: {
    happened: 'There is no session with this `session_id`, or it has ended, or it is the session of somebody else.',
    doNext:
      'Look the id up with `GET /sessions`, or `GET /users/{user_id}/sessions`. For a session to be ended this is success.',
  },
  endpoint_not_found: {
    happened: 'There is no webhook endpoint with this `endpoint_id`, or it has been deleted.',
    doNext: 'Look the id up with `GET /webhooks`. For a deletion that was repeated this is success.',
  },
  delivery_not_found: {
    happened:
      'The endpoint has no delivery with this `delivery_id`. Deliveries that arrived are kept for a week, those that were given up for a month.',
    doNext:
      'Look the id up with `GET /webhooks/{endpoint_id}/deliveries`. What is not kept there any more can still be read in the change feed.',
  },
  import_not_found: {
    happened: 'There is no import with this id. Imports are forgotten a month after they went on last.',
    doNext: 'Look at `GET /imports`, or send the file again: rows that are done already are `unchanged`.',
  },
  method_not_allowed: {
    happened: 'The path exists, but not with this method.',
    doNext: 'Use one of the methods in the `Allow` header.',
  },
  not_acceptable: {
    happened: 'The `Accept` header refuses every format in which the list can be sent.',
    doNext: 'Accept `application/json`, `application/x-ndjson` or `text/csv`, or send no `Accept` header.',
  },
  request_timeout: {
    happened: 'The request did not arrive in full within the time that is allowed for it. It had no effect.',
    doNext:
      'Send it again on a new connection. On slow lines the operator can allow more with `ROLLBOOK_REQUEST_TIMEOUT_SECONDS`.',
  },
  username_taken: {
    happened:
      'Another user already has this username. Usernames are the same when they differ only in case or in the way Unicode writes them. A username that is the e-mail address of another user is refused with this code too.',
    doNext: 'Choose another username, or find the user who has it with `GET /users?username=…`.',
  },
  email_taken: {
    happened:
      'Another user already has this e-mail address, in whatever case. An address that is the username of another user is refused with this code too.',
    doNext: 'Choose another address, or find the user who has it with `GET /users?email=…`.',
  },
  external_id_taken: {
    happened: 'Another user already has this `external_id`. External ids are compared exactly.',
    doNext:
      'Find the user who has it with `GET /users?external_id=…`. If that is the user you meant to create, there is nothing left to do.',
  },
  user_id_taken: {
    happened: 'An import brings a `user_id` that another user has, or had: an id is never given twice.',
    doNext:
      'Leave `user_id` out of the row, so that a new one is made, or find out with `GET /users/{user_id}` whose it is.',
  },
  setup_done: {
    happened: 'A link for the first administrator was used, but there is an active administrator already.',
    doNext:
      'Sign in as that administrator. If nobody can any more, `rollbook admin reset` on the host is the way back in.',
  },
  last_admin: {
    happened:
      'The user is the last active one whose role holds everything. Deleting, disabling or demoting this user would leave nobody who can administer.',
    doNext: 'Make another active user administrator first, then repeat the request.',
  },
  key_expired: {
    happened: 'An API key that has expired cannot be rotated: the new one would have expired as well.',
    doNext: 'Create a new key with `POST /keys`, and revoke the old one.',
  },
  key_managed_by_configuration: {
    happened: 'This key comes from `ROLLBOOK_ADMIN_KEY`. It would be back at the next start.',
    doNext: 'Change the setting and start the service again: the key before it ends at that moment.',
  },
  too_many_endpoints: {
    happened: 'There are 100 webhook endpoints, and no more may be made: each event is offered to each of them.',
    doNext:
      'Delete one that is not needed any more. To reach more receivers, send to one that hands the events on, or let them follow the change feed.',
  },
  endpoint_inactive: {
    happened:
      'Nothing is sent to this webhook endpoint: somebody has set `active` to false, or Rollbook has, because it had failed for days or answered 410. `disabled_reason` says which.',
    doNext:
      'Set `active` to true with `PATCH /webhooks/{endpoint_id}`. What happened meanwhile is sent then; nothing has to be sent again by hand.',
  },
  delivery_in_progress: {
    happened: 'The delivery has neither arrived nor been given up yet: it is sent again by itself.',
    doNext:
      'Wait for `next_attempt_at`. When the receiver is mended, `PATCH /webhooks/{endpoint_id}` with `active: true` sends at once whatever waits.',
  },
  import_busy: {
    happened: 'Somebody else sends rows of the same import at the same time; one of the two was quicker.',
    doNext: 'Wait for the seconds in `Retry-After`, then send the same again: rows that are done are passed over.',
  },
  import_cancelled: {
    happened: 'The import was cancelled, and takes no more rows. What it did until then stays.',
    doNext: 'To import the rest after all, send the file with another `job_id`: rows that are done are `unchanged`.',
  },
  import_finished: {
    happened: 'The import has come to its end: it can neither take more rows nor be cancelled.',
    doNext: 'Send more rows as another import, with another `job_id`.',
  },
  import_mismatch: {
    happened:
      'An import with this `job_id` was begun with other options, with another file, or as a dry run that is lost.',
    doNext: 'Send what it was begun with, or choose another `job_id`.',
  },
  import_gap: {
    happened: 'The part begins behind rows that have not arrived.',
    doNext: 'Ask `GET /imports/{job_id}` for `rows_done`, and send the file from there, with `from_row` saying so.',
  },
  idempotency_in_progress: {
    happened: 'A request with the same `Idempotency-Key` has not been answered yet.',
    doNext:
      'Repeat the request after the seconds in `Retry-After`, with the same key and body: the answer will be that of the first.',
  },
  cursor_unknown: {
    happened:
      'The `after`, or `Last-Event-ID`, is of another history than the change feed has now: a backup was restored, for instance.',
    doNext: 'Forget what you have, and follow the changes from the beginning: ask again without it.',
  },
  cursor_expired: {
    happened:
      'The `after`, or `Last-Event-ID`, is so old that events have been left out since which you would need to go on.',
    doNext: 'Forget what you have, and follow the changes from the beginning: ask again without it.',
  },
  precondition_failed: {
    happened: 'The user has changed since the ETag in `If-Match` was read. Nothing was changed now.',
    doNext: 'Read the user again, decide again on what is there now, and send that with the new ETag.',
  },
  body_too_large: {
    happened: 'The body is larger than a request may be, 64 KiB unless the operator chose otherwise.',
    doNext: 'Send less. If users really need so much, raise `ROLLBOOK_BODY_LIMIT_BYTES`.',
  },
  uri_too_long: {
    happened: 'The URL is longer than 24,576 characters, or a part of its path is longer than 200.',
    doNext: 'Ask for fewer users at once, or filter by something shorter than a list of ids.',
  },
  unsupported_media_type: {
    happened: 'The body is not labelled as JSON in UTF-8.',
    doNext:
      'Send `Content-Type: application/json`; for PATCH `application/merge-patch+json` is understood as well. A charset other than UTF-8 is not.',
  },
  unsupported_content_encoding: {
    happened: 'The body was sent compressed.',
    doNext: 'Send it as it is, without `Content-Encoding`. Answers can be compressed; requests cannot.',
  },
  expectation_failed: {
    happened: 'The request has an `Expect` header other than `100-continue`.',
    doNext: 'Leave the header out.',
  },
  list_too_costly: {
    happened:
      'To find this page of the list, or to count its matches exactly, too many users would have to be looked at: the search or the filters match many, and no index has them in this order. The work that a page may cost is bounded, about a tenth of a second, so that one list cannot delay the others. The same request is refused again while the store holds as many users.',
    doNext:
      'Do one of the things that `detail` names: ask with `count=estimate` instead of `count=true`, search for a longer or rarer text, add a filter that few users pass, leave out `sort`, or follow the `Link` of each page instead of `offset`. Without `limit` the whole list is streamed and nothing is refused.',
  },
  validation_failed: {
    happened:
      'The request is well-formed, but its content is not acceptable. `errors` lists the faults: `pointer` leads to the member (`#/username`) or names the parameter (`?limit`), `code` is made for programs and `detail` for people. Nothing was changed.',
    doNext:
      'Correct what `errors` lists. Members and parameters that are not documented are refused on purpose, so that typos are not silently accepted.',
  },
  idempotency_mismatch: {
    happened:
      'This `Idempotency-Key` has been used for a request with another path or body. Nothing was changed by this one.',
    doNext: 'Use a new key for each new request; the same key only for the repetition of the very same one.',
  },
  precondition_required: {
    happened:
      'This installation asks for `If-Match` when an existing user is changed or deleted, so that nobody overwrites what they have not seen.',
    doNext: 'Read the user, and send its `ETag` as `If-Match`. `If-Match: *` means whatever is there.',
  },
  too_many_attempts: {
    happened:
      'There were too many failed attempts to sign in, for this name or from this network. This one was not looked at, right or wrong. It is said alike for users who exist and users who do not.',
    doNext:
      'Wait for the seconds in `Retry-After`. An administrator can unlock a user with `DELETE /users/{user_id}/lock` (docs/throttling.md).',
  },
  rate_limited: {
    happened: 'This user, API key or network sent more requests in a minute than the operator allows.',
    doNext: 'Wait for the seconds in `Retry-After`, and spread requests: `RateLimit` says how many are left.',
  },
  headers_too_large: {
    happened: 'The headers are larger than 16 KiB together, or there are more than 256 headers.',
    doNext: 'Send fewer or smaller headers. Cookies of the product on the same host are the usual cause.',
  },
  internal_error: {
    happened: 'A fault on our side. A change that ends in it was rolled back as a whole.',
    doNext:
      'Look for the request id, which is in `instance`, in the log: the cause is there. It is not sent to callers. If it is a fault of Rollbook, report it with the line of the log.',
  },
  upstream_unavailable: {
    happened:
      'Rollbook serves the product behind it (`ROLLBOOK_UPSTREAM`), and that cannot be reached, or leads back to Rollbook itself.',
    doNext: 'Repeat the request after the seconds in `Retry-After`. The operator finds the reason in the log.',
  },
  overloaded: {
    happened:
      'More work is waiting than can be done in good time: passwords to be hashed, changes to be stored, or a search that took too long. Nothing was changed.',
    doNext:
      'Repeat the request after the seconds in `Retry-After`, with longer pauses each time. If it happens often, see the limits in the configuration.',
  },
  issuer_unavailable: {
    happened:
      'The access token is of a trusted issuer (`ROLLBOOK_TRUSTED_ISSUERS`) whose keys cannot be had at the moment, so its signature cannot be checked.',
    doNext:
      'Repeat the request after the seconds in `Retry-After`. The operator finds the reason in the log: the `jwks_url` does not answer, or not with keys.',
  },
  too_many_snapshots: {
    happened:
      'As many whole lists are being streamed as the operator allows (`ROLLBOOK_MAX_SNAPSHOTS`, half of them for one credential), and none ended within two seconds. Each of them holds the view of a moment open.',
    doNext: 'Repeat the request after the seconds in `Retry-After`, or read the list in pages with `?limit=`.',
  },
  storage_unavailable: {
    happened:
      'The storage cannot be read or written at the moment: an I/O error, or a database that cannot be reached. `detail` says whether the change is known not to have happened.',
    doNext:
      'Repeat the request after the seconds in `Retry-After`; with an `Idempotency-Key` that is safe in every case. The operator finds it in the log.',
  },
  outcome_unknown: {
    happened:
      'The connection to the database broke, or its standby did not confirm, while the change was being committed: it may have happened, or not.',
    doNext:
      'Repeat the request with the same `Idempotency-Key`: it has one effect, and the answer tells. Without one, read first and see. `If-Match` keeps a repeated update from overwriting anything.',
  },
  storage_damaged: {
    happened:
      'The database, or an index of it, is damaged: SQLite or PostgreSQL says so. Nothing was changed. Reads of other data may still succeed. There is no `Retry-After`, because waiting does not help.',
    doNext:
      'Tell the operator, who finds the first report in the log with level `error`. They stop the service, keep a copy of the data and restore a backup (docs/backup.md, docs/postgresql.md); `rollbook doctor --thorough` says what is damaged.',
  },
  storage_full: {
    happened: 'The disk is full. Nothing was changed; what was stored before is safe, and reading goes on.',
    doNext:
      'The operator has to make room in the data directory, or on the disk of the database. Then repeat the request; no restart is needed.',
  },
  draining: {
    happened: 'The service is stopping. It finishes what it has begun and takes nothing new.',
    doNext: 'Repeat the request after the seconds in `Retry-After`: another instance, or the restarted one, answers.',
  },
  rollbook_unavailable: {
    happened:
      'The proxy in front of Rollbook cannot reach it, or waited too long for its response. The proxy itself returns this, with the configurations in `deploy/`. Nobody reaches the product meanwhile.',
    doNext:
      'Repeat the request after the seconds in `Retry-After`. Whether a change that was under way has happened is unknown: read the resource first, or send the same `Idempotency-Key` again. The operator starts Rollbook, and finds the reason in its log.',
  },
  upstream_timeout: {
    happened: 'The product behind Rollbook (`ROLLBOOK_UPSTREAM`) took the connection but did not answer in time.',
    doNext:
      'Repeat the request after the seconds in `Retry-After` if that is safe: whether the product has done what was asked for is unknown.',
  },
}
