/* STAMP payloads: the first byte chooses the side and the era; the rest is the payload. What decodes must
 * reflect to something that decodes again, at the same length, and says what the reply said. */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "nstime.h"
#include "probe/stamp.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const int64_t eras[] = { 0, INT64_C(1700000000) * NS_PER_S, INT64_MAX, INT64_MIN };

static void reflect(const uint8_t *data, size_t size, const struct stamp_packet *request, int64_t near_ns)
{
	struct stamp_packet reply = {
		.seq = 7, .timestamp_ns = near_ns, .receive_ns = near_ns, .error = { .error_ns = 1000 },
		.follow_up_method = STAMP_METHOD_SOFTWARE, .follow_up_ns = near_ns, .sender_ttl = 9,
	}, out;
	uint8_t buf[2048];

	if (size > sizeof(buf))
		return;
	memcpy(buf, data, size);
	stamp_reflect(buf, size, &reply);
	assert(stamp_decode(buf, size, STAMP_REFLECTOR, near_ns, &out) == 0);
	assert(out.seq == 7 && out.sender_seq == request->seq && out.ssid == request->ssid);
	assert(out.receive_ns == near_ns && out.sender_ttl == 9);
	assert(out.sender_timestamp_ns == request->timestamp_ns);
	assert(out.has_trust == request->has_trust && out.has_follow_up == request->has_follow_up);
	assert(out.unknown_tlvs == request->unknown_tlvs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct stamp_packet p;
	int64_t near_ns;
	int role, err;

	if (size < 1)
		return 0;
	role = data[0] & 1 ? STAMP_REFLECTOR : STAMP_SENDER;
	near_ns = eras[data[0] >> 1 & 3];
	err = stamp_decode(data + 1, size - 1, role, near_ns, &p);
	if (!err && role == STAMP_SENDER && near_ns == eras[1])
		reflect(data + 1, size - 1, &p, near_ns);
	return 0;
}
