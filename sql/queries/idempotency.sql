-- name: claim_request
-- Wait for the same request under way elsewhere; held until the transaction ends.
SELECT pg_advisory_xact_lock(hashtextextended('idempotency', :number::bigint));

-- name: find_response
-- What a request was answered the first time; ``answer`` is null once it has been erased.
SELECT fingerprint, status, content_type, answer
FROM idempotency
WHERE workspace_id = :workspace AND key_id = :key_id AND request_key = :request_key AND created_at > :since;

-- name: store_response
-- The answer of a request, in the transaction of its writes; one past its term is replaced.
INSERT INTO idempotency (workspace_id, key_id, request_key, fingerprint, status, content_type, answer, created_at)
VALUES (:workspace, :key_id, :request_key, :fingerprint, :status, :content_type, :answer, :now)
ON CONFLICT (workspace_id, key_id, request_key) DO UPDATE SET
    fingerprint = excluded.fingerprint, status = excluded.status, content_type = excluded.content_type,
    answer = excluded.answer, created_at = excluded.created_at;
