// Runs the sketch by hand: each line "MS RATE HEX" sets the clock and how many bytes the computer takes in 1 ms, gives
// bytes ("-": none) and lets it loop; the answer is what it said ("-": nothing), the clock now and when a pin was last
// written something else, and what the twenty pins put out. With an argument the core tells of no room for bytes.
#include <Arduino.h>
#include <iostream>

unsigned long clock_ms = 0, changed_ms = 0;
int written[NUM_DIGITAL_PINS];
int applied[NUM_DIGITAL_PINS];
Line Serial;

#include "robotd_firmata.ino"

int main(int count, char **) {
  Serial.tells = count < 2;
  for (int &one : applied) one = 600;
  setup();
  unsigned long at;
  std::string bytes;
  while (std::cin >> at >> Serial.rate >> bytes) {
    if (at > clock_ms) clock_ms = at;  // a write may have waited
    for (size_t k = 0; k + 1 < bytes.size(); k += 2) Serial.in.push_back(std::stoi(bytes.substr(k, 2), nullptr, 16));
    loop();
    std::cout << (Serial.out.empty() ? "-" : Serial.out);
    std::cout << ' ' << clock_ms << ' ' << changed_ms;
    for (int one : written) std::cout << ' ' << one;
    std::cout << std::endl;
    Serial.out.clear();
  }
}
