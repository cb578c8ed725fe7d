// Makes a C++ program with more than 100 MB of debug information, as large programs have it: many units that each include much of the
// standard library, instantiate its templates with types of their own, and have a lot of small classes and functions besides.
//
//     node bench/symbols_program.ts FOLDER [UNITS]        FOLDER/program, built with two jobs; nothing to do where it is there
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const UNITS = 26;
const CLASSES = 120; // of each unit
const JOBS = 2;

const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

const HEADER = `#include <algorithm>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <unordered_map>
#include <variant>
#include <vector>

using words = std::vector<std::string>;

template <int Unit, int Kind> struct record {
    std::string name;
    int key;
    std::vector<double> values;
    bool operator<(const record &other) const { return std::tie(key, name) < std::tie(other.key, other.name); }
};

template <int Unit, int Kind> int gather(const words &text)
{
    using item = record<Unit, Kind>;
    std::map<std::string, item> by_name;
    std::unordered_map<int, std::shared_ptr<item>> by_key;
    std::set<item> all;
    std::vector<item> list;
    std::vector<std::function<int(const item &)>> steps;
    steps.push_back([](const item &one) { return one.key; });
    steps.push_back([&](const item &one) { return static_cast<int>(by_name.count(one.name) + all.size()); });
    for (const std::string &word : text) {
        item one{word, static_cast<int>(word.size()) + Kind, std::vector<double>(word.size(), Kind * 0.5)};
        by_name[word] = one;
        by_key[one.key] = std::make_shared<item>(one);
        all.insert(one);
        list.push_back(std::move(one));
    }
    std::sort(list.begin(), list.end());
    std::stable_sort(list.begin(), list.end(), [](auto &a, auto &b) { return a.name < b.name; });
    std::variant<int, std::string, item> any = Kind;
    if (!list.empty())
        any = list.front();
    int sum = std::visit([](auto &value) { return static_cast<int>(sizeof value); }, any);
    for (auto &step : steps)
        for (auto &one : list)
            sum += step(one);
    if (by_key.size() > 1000)
        throw std::runtime_error("too many: " + std::to_string(sum));
    return sum;
}
`;

/** A class with fields, small functions that are inlined into each other, and one that is not. */
const classOf = (unit: number, i: number): string => `
class part_${i} {
    int width_ = ${i}, height_ = ${i + unit}, depth_ = 1;
    std::vector<int> items_;
    std::string title_ = "part ${i}";

public:
    explicit part_${i}(int width) : width_(width) {}
    int width() const { return width_; }
    int height() const { return height_ * ${(i % 7) + 2}; }
    int area() const { return width() * height() + (width() ^ ${i * 31 + unit}); }
    int volume() const { return area() * depth_ + (area() >> ${(i % 5) + 1}); }
    const std::string &title() const { return title_; }
    void add(int item) { items_.push_back(item + volume()); }
    template <typename Step> int each(Step step) const
    {
        int sum = 0;
        for (int item : items_)
            sum += step(item, volume());
        return sum;
    }
    int run(const words &text);
};

int part_${i}::run(const words &text)
{
    for (const std::string &word : text)
        add(static_cast<int>(word.size()) * ${i + 1});
    if (items_.size() > ${1000 + i})
        throw std::length_error(title() + " is full");
    int sum = each([](int item, int volume) { return item ^ volume; });
    sum += each([&](int item, int volume) { return item > volume ? item : volume + ${i}; });
    return sum${i > 0 ? ` + part_${i - 1}(width() + 1).area()` : ''};
}
`;

const unitText = (unit: number): string => `#include "units.h"

namespace unit_${unit} {
${range(CLASSES).map((i) => classOf(unit, i)).join('')}
} // namespace unit_${unit}

int run_${unit}(const words &text)
{
    static const std::regex pattern("([a-z]+)-${unit}([0-9]+)");
    int sum = gather<${unit}, 0>(text) + gather<${unit}, 1>(text);
    for (const std::string &word : text)
        sum += std::regex_match(word, pattern);
${range(CLASSES).map((i) => `    sum += unit_${unit}::part_${i}(sum).run(text);`).join('\n')}
    return sum;
}
`;

const mainText = (units: number): string => `#include "units.h"

${range(units).map((unit) => `int run_${unit}(const words &text);`).join('\n')}

int main(int count, char **arguments)
{
    const words text(arguments + 1, arguments + count);
    int sum = 0;
${range(units).map((unit) => `    sum += run_${unit}(text);`).join('\n')}
    std::cout << sum << '\\n';
}
`;

function compile(folder: string, name: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const compiler = spawn('g++', ['-std=c++17', '-O2', '-g', '-c', `${name}.cpp`, '-o', `${name}.o`], { cwd: folder, stdio: 'inherit' });
    compiler.on('error', reject);
    compiler.on('exit', (status) => (status === 0 ? resolve() : reject(new Error(`g++ ${name}.cpp failed with status ${status}`))));
  });
}

/** The path of the program, which is built where it is not there yet. */
export async function symbolsProgram(folder: string, units = UNITS): Promise<string> {
  const program = path.join(folder, 'program');
  if (existsSync(program)) return program;
  console.log(`building ${program}: ${units} units, this takes some minutes`);
  mkdirSync(folder, { recursive: true });
  const names = ['main', ...range(units).map((unit) => `unit_${unit}`)];
  writeFileSync(path.join(folder, 'units.h'), HEADER);
  writeFileSync(path.join(folder, 'main.cpp'), mainText(units));
  for (const unit of range(units)) writeFileSync(path.join(folder, `unit_${unit}.cpp`), unitText(unit));
  const left = names.values();
  await Promise.all(range(JOBS).map(async () => { for (const name of left) await compile(folder, name); }));
  const objects = names.map((name) => `${name}.o`);
  execFileSync('g++', ['-o', 'program.new', ...objects], { cwd: folder, stdio: 'inherit' });
  for (const object of objects) rmSync(path.join(folder, object));
  renameSync(`${program}.new`, program);
  return program;
}

if (import.meta.main) {
  const [folder, units] = process.argv.slice(2);
  console.log(await symbolsProgram(folder, units === undefined ? UNITS : Number(units)));
}
